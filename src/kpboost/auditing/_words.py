"""The audit in sentences: what is missed, how sure that is, and what helps."""

from collections.abc import Mapping, Sequence

from kpboost._text import some_of
from kpboost.datasets import constant_sentences, leak_sentences, role_sentences
from kpboost.methods import METHODS

from ._records import (
    THRESHOLD,
    Answer,
    AuditVerdict,
    ClassFinding,
    DataFacts,
    Decider,
    DisjunctFinding,
    Drift,
    ModelScores,
    Question,
    Remedies,
)
from ._significance import LEAST_SIZE

# Names in one sentence; the tables have the rest.
MOST_NAMES = 3
# Costs below this are not worth a warning.
SMALL_COST = 0.005
# Said where most rows could not be tested.
TOO_FEW = "Too few rows to tell."


def verdict_of(
    data: DataFacts,
    audited: ModelScores,
    classes: Sequence[ClassFinding],
    disjuncts: Sequence[DisjunctFinding],
    n_scattered: int,
    remedies: Remedies | None,
    n_scattered_wrong: int = 0,
) -> AuditVerdict:
    """Sum up an audit.

    Parameters
    ----------
    data : DataFacts
        The table.
    audited : ModelScores
        The audited model.
    classes : sequence of ClassFinding
        Recall by class.
    disjuncts : sequence of DisjunctFinding
        Recall by disjunct.
    n_scattered : int
        Rows in disjuncts too small to be tested.
    remedies : Remedies or None
        What was tried.
    n_scattered_wrong : int, default=0
        How many of the rows that cannot be tested are predicted wrongly.

    Returns
    -------
    AuditVerdict
    """
    missed = [each for each in disjuncts if each.missed]
    low = [each for each in classes if each.status != "fine"]
    doubts, told = _doubts(data), []
    if missed:
        told.append(_missed(missed, data.class_sizes))
    if low:
        told.append(_low(low))
    if not missed and not low:
        told.append(
            "No class has clearly lower recall than the others, and the errors form no cluster "
            "beyond chance."
        )
    if remedies is not None:
        told += _remedies(remedies)
    elif missed or low:
        told.append("No remedies were tried.")
    sentences = [*doubts, *_before(data), _accuracy(audited), *told]
    too_few = n_scattered > data.n_rows / 2
    if too_few or _hides(n_scattered_wrong, data.n_rows):
        sentences.append(_scattered(n_scattered, n_scattered_wrong, data.n_rows))
    sentences += [*_about_data(data), *_reading(data)]
    mood, headline = _mood(missed, low, remedies), _headline(missed, low)
    if too_few and not missed and not low:
        mood, headline = "mixed", TOO_FEW
    if data.leaks or _distrust(data):  # never green: what looks good may be the leak
        mood = "mixed" if mood == "good" else mood
    if _distrust(data):
        headline = f"{_distrust(data)} {headline if missed or low else ''}".strip()
    on_cards = tuple(told) if missed or low else ()
    return AuditVerdict(mood, headline, tuple(sentences), tuple(doubts), on_cards)


def _mood(
    missed: Sequence[DisjunctFinding], low: Sequence[ClassFinding], remedies: Remedies | None
) -> str:
    if not missed and not low:
        return "good"
    lost = [each.name for each in missed]
    lost += [f"class {each.label}" for each in low if each.status == "missed"]
    asked = [] if remedies is None else remedies.questions
    helped = {each.finding for each in asked if each.recommended}
    return "mixed" if helped.issuperset(lost) else "bad"


def _headline(missed: Sequence[DisjunctFinding], low: Sequence[ClassFinding]) -> str:
    if missed:
        return f"{_count(len(missed), 'part of a class is', 'parts of classes are')} missed."
    n_lost = sum(each.status == "missed" for each in low)
    if n_lost:
        return (
            f"{_count(n_lost, 'class is', 'classes are')} mostly missed; no single part stands out."
        )
    if low:
        return (
            f"{_count(len(low), 'class is', 'classes are')} recognised clearly less often than "
            "the rest; no single part stands out."
        )
    return "Nothing is clearly missed."


def _accuracy(audited: ModelScores) -> str:
    label, recall = min(audited.class_recalls.items(), key=lambda each: each[1])
    start = f"{_capital(audited.title)}: cross-validated accuracy {audited.accuracy:.1%}"
    return f"{start}." if recall == 1 else f"{start}; recall of “{label}” {recall:.1%}."


def _missed(missed: Sequence[DisjunctFinding], class_sizes: Mapping[str, int]) -> str:
    return f"Missed: {_listed([_one_missed(each, class_sizes[each.label]) for each in missed])}."


def _one_missed(found: DisjunctFinding, class_size: int) -> str:
    whole = "all " if found.size == class_size else ""
    where = f" ({found.where})" if found.where else ""
    right = {0: "none is", 1: "one is"}.get(found.n_correct, f"{found.n_correct} are")
    return (
        f"{found.name}, {whole}{found.size} rows of the class “{found.label}”{where}, of which "
        f"{right} recognised (p = {found.p_value:.3f})"
    )


def _low(low: Sequence[ClassFinding]) -> str:
    shown = [
        f"“{each.label}” has {each.recall:.1%} (95% interval {each.low:.0%} to {each.high:.0%})"
        for each in low
    ]
    return f"Clearly low recall: {_listed(shown)}."


def _remedies(remedies: Remedies) -> list[str]:
    if not remedies.models:
        return ["No other model could be tried."]
    said = [help_sentence(each, remedies) for each in remedies.questions[:MOST_NAMES]]
    more = len(remedies.questions) - len(said)
    if more > 0:
        said.append(f"What helps the other {_count(more, 'finding', 'findings').lower()} is below.")
    return [*said, remedies.kpboost] if remedies.kpboost else said


def help_sentence(question: Question, remedies: Remedies) -> str:
    """Say what helps a finding, what it costs, and what a moved threshold does."""
    folds = "new folds" if remedies.new_folds else "the same folds (a part of it may be luck)"
    best = question.best
    about = f"For {_named(question)},"
    if best is None:
        return f"{about} no other model could be tried."
    facts = f"{best.recall:.0%} of its {question.n_rows} rows instead of "
    facts += f"{question.recall_before:.0%} on {folds}"
    if not question.recommended:
        return (
            f"{about} nothing that was tried helps beyond chance and is worth its cost: the best, "
            f"{quoted(best.title)}, recognises {facts}; {why_no_help(best, question)}."
        )
    price = "".join(f", {each}" for each in price_words(best, question, remedies))
    if best.name == THRESHOLD:
        than = "; no other model is clearly better" if question.tried else ""
        return f"{about} a threshold does it: moved, it recognises {facts}{price}{than}."
    moved = question.control
    than = f"; a moved threshold recognises {moved.recall:.0%}" if moved is not None else ""
    return f"{about} {quoted(best.title)} helps: it recognises {facts}{price}{than}."


def _named(question: Question) -> str:
    is_class = question.finding == f"class {question.label}"
    return f"the class “{question.label}”" if is_class else question.finding


def price_words(answer: Answer, question: Question, remedies: Remedies) -> list[str]:
    """Say what an answer costs the class that loses most, if there is another, and all rows."""
    now = next(each.accuracy for each in remedies.models if each.name == answer.name)
    accuracy = f"with an accuracy of {now:.1%} instead of {remedies.before.accuracy:.1%}"
    return [*([_cost(answer, question)] if answer.worst_class else []), accuracy]


def _cost(answer: Answer, question: Question) -> str:
    if answer.worst >= 0:
        return "at no cost to any class"
    if -answer.worst <= SMALL_COST:
        return "at hardly any cost to any class"
    return f"at the cost of {_loss(answer, question)}"


def _loss(answer: Answer, question: Question) -> str:
    rest = "rest of the " if answer.worst_class == question.label else ""
    return f"{-answer.worst:.1%} of the {rest}class “{answer.worst_class}”"


# Fewer errors among the rows that cannot be tested, by share of all rows, alarm nobody.
LEAST_HIDDEN = 0.01


def _hides(n_wrong: int, n_rows: int) -> bool:
    """Tell whether a missed part may be among rows that cannot be tested: it consists of errors."""
    return n_wrong >= LEAST_SIZE and n_wrong >= LEAST_HIDDEN * n_rows


def _scattered(count: int, n_wrong: int, n_rows: int) -> str:
    return (
        f"{count:,} rows ({count / n_rows:.1%} of all) lie in parts of fewer than {LEAST_SIZE} "
        f"rows, too small to be tested, and {n_wrong:,} of them are predicted wrongly, so "
        "a missed part among them cannot be ruled out."
    )


def _distrust(data: DataFacts) -> str:
    """Say why no score of this audit can be trusted; "" if there is no reason."""
    if data.may_leak:
        columns = "A column" if len(data.leaks) == 1 else f"{len(data.leaks)} columns"
        return f"{columns} may give the class away: look there before you trust any score."
    if data.n_copies and not data.copies_together:
        return "Copies of rows are both learnt and tested: scores are too good."
    return ""


def _doubts(data: DataFacts) -> list[str]:
    """Sentences about what makes scores doubtful, the worst first."""
    found = [*leak_sentences(data.leaks)] if data.may_leak else []
    if data.n_copies and not data.copies_together:
        found.append(
            f"{_copies(data)}, and folds part them: what is tested has been learnt. Leave copies "
            "out, or give folds that keep them together."
        )
    return found + [_drift(each) for each in data.drifts if not each.is_sorted]


def _reading(data: DataFacts) -> list[str]:
    """Sentences about how the columns were read."""
    found = [*role_sentences(data.roles), *constant_sentences(data.constant)]
    if data.seen_identifiers:
        shown = some_of([repr(name) for name in data.seen_identifiers], MOST_NAMES)
        found.append(f"The audited model gets {shown} all the same, as it gets the whole table.")
    return found


def _before(data: DataFacts) -> list[str]:
    """Sentences about what to know of the table before the rest."""
    found = []
    if data.seems_easy:
        shown = some_of([repr(leak.column) for leak in data.leaks], MOST_NAMES)
        found.append(
            f"{len(data.leaks)} of {data.n_columns} columns alone predict the class ({shown}): "
            "easy classes, or leaks?"
        )
    if data.n_copies and data.copies_together:
        found.append(f"{_copies(data)}; such copies stay in one fold.")
    if data.deciders:
        found.append(_deciders(data.deciders))
    is_told = any(leak.follows_rows for leak in data.leaks)
    if any(each.is_sorted for each in data.drifts) and not is_told:
        found.append(
            "The file is sorted by the class. That changes nothing here, but a column that follows "
            "the order of the rows would give the class away."
        )
    return found


def _copies(data: DataFacts) -> str:
    n = data.n_copies
    many = "one row agrees with another" if n == 1 else f"{n:,} rows agree with others"
    return (
        f"Of {data.n_rows:,} rows, {many} in every feature, which is unlikely to be a coincidence"
    )


def _drift(drift: Drift) -> str:
    along = f"over time (column {drift.column!r})" if drift.column else "in the order of the rows"
    then = "expect lower scores on later rows; test on the last rows alone, too."
    then = _capital(then) if drift.column else f"If that is the order of time, {then}"
    return (
        f"The share of “{drift.label}” changes {along}: {drift.first:.0%} of the first fifth and "
        f"{drift.last:.0%} of the last. {then}"
    )


def _deciders(deciders: Sequence[Decider]) -> str:
    shown = [
        f"{each.column!r} tells “{each.label}” from all others (balanced accuracy {each.score:.2f})"
        for each in deciders
    ]
    return f"One column alone decides a class: {_listed(shown)}; is it known before the class is?"


def _about_data(data: DataFacts) -> list[str]:
    found = [*data.left_out]
    if data.n_contradictions:
        found.append(
            f"{data.n_contradictions:,} rows agree in every column with a row of another class: "
            f"at least {_errors(data.n_unavoidable)} that nobody can avoid, so that no model gets "
            f"more than {data.best_accuracy:.1%} of all rows right."
        )
    return found


def _errors(number: int) -> str:
    return "one error" if number == 1 else f"{number:,} errors"


def _count(number: int, one: str, many: str) -> str:
    return f"One {one}" if number == 1 else f"{number} {many}"


def _listed(shown: Sequence[str]) -> str:
    more = len(shown) - MOST_NAMES
    return "; ".join(shown[:MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Differences of worth below this are called equal in words.
SAME = 0.02


def kpboost_sentence(question: Question) -> str:
    """Say how KPBoost did beside the best remedy, or beside the others if it is the one."""
    order = sorted(
        question.answers, key=lambda each: (each.name != question.recommended, each.rank)
    )
    ours = [each for each in order if _is_kpboost(each)]
    others = [each for each in order if not _is_kpboost(each)]
    if not ours or not others:
        return ""
    best, rival = ours[0], others[0]
    facts = (
        f"{quoted(best.title)} recognises {best.recall:.0%} of the rows of {_named(question)}"
        f"{'' if best.helps else f', but {why_no_help(best, question)}'}"
    )
    if not question.recommended:
        return f"KPBoost does not help here either: {facts}."
    who = "the recommended" if rival.name == question.recommended else "the best of the others,"
    other = f"{who} {quoted(rival.title)} {rival.recall:.0%}"
    return f"KPBoost {_place(best, rival)} here: {facts}; {other}."


def _is_kpboost(answer: Answer) -> bool:
    method = METHODS.get(answer.name)
    return method is not None and method.is_kpboost


def _place(best: Answer, rival: Answer) -> str:
    gap = best.worth - rival.worth
    if gap < -SAME:
        return "loses"
    return "is ahead" if gap > SAME and best.helps else "is on a par"


def quoted(title: str) -> str:
    """Put a title of several words and commas between quotes."""
    return f"“{title}”" if "," in title else title


def why_no_help(answer: Answer, question: Question) -> str:
    """Say why an answer is none."""
    if answer.n_gained <= answer.n_lost:
        return "no more than before"
    if answer.gain_low <= 0:
        return "the gain may be luck"
    if answer.worth <= 0:
        return f"the gain costs {_loss(answer, question)}" if answer.worst < 0 else "it costs more"
    if answer.name != THRESHOLD and question.control is not None:
        return "it is not clearly better than a moved threshold"
    return "after its cost the gain may be luck"
