"""Between labelled data and the solver: checks, weights, two-class problems, votes."""

from ._gram import (
    GramSource as GramSource,
    Kernel as Kernel,
    dense_source as dense_source,
    fits_dense as fits_dense,
    gram_source as gram_source,
    is_precomputed as is_precomputed,
    kernel_sums as kernel_sums,
)
from ._multiclass import (
    CONFIDENCE_RANGE as CONFIDENCE_RANGE,
    NO_SLOT as NO_SLOT,
    BinaryProblem as BinaryProblem,
    binary_problems as binary_problems,
    class_pairs as class_pairs,
    one_vs_one_scores as one_vs_one_scores,
    one_vs_rest as one_vs_rest,
    positive_sides as positive_sides,
    predicted_codes as predicted_codes,
    problems_of_class as problems_of_class,
    put as put,
    slot_table as slot_table,
    spread as spread,
)
from ._training_set import (
    DecisionClassifier as DecisionClassifier,
    TrainingSet as TrainingSet,
    bounds_of as bounds_of,
    class_weights as class_weights,
    gamma_of as gamma_of,
    over_support as over_support,
    points_to_predict as points_to_predict,
    remember_support as remember_support,
    training_set as training_set,
    width_of as width_of,
)
