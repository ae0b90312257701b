"""The kernel-perturbation methods, point by point, on top of scikit-learn's SVC.

y is -1 or +1, +1 the positive class. Every method is a function that says D at given points from a
fitted machine, as sums over support vectors written out; `perturb` carries the cross kernel and the
diagonal of the new points from one kernel to the next.
"""

from types import SimpleNamespace

import numpy as np
from sklearn.svm import SVC


def machine(K, y, C):
    svm = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
    lam = np.zeros(y.size)
    lam[svm.support_] = np.abs(svm.dual_coef_[0])
    sv = np.flatnonzero(lam > 1e-8 * C)
    return SimpleNamespace(lam=lam, b=svm.intercept_[0], f=svm.decision_function(K), sv=sv, svm=svm)


def perturb(X, new, K, K_new, y, *, C, factor, n_iterations, theta=None, retrain=True):
    """factor(m, Z, K_Z, k_Z, f_Z, K, X, y) is D at the points Z, or None to stop."""
    k, k_new = K.diagonal(), np.ones(len(new))
    m = machine(K, y, C)
    errors = [np.mean((m.f >= 0) != (y > 0))]
    for _ in range(n_iterations):
        f_new = m.svm.decision_function(K_new)
        D = factor(m, X, K, k, m.f, K, X, y)
        if D is None:
            break
        D_new = factor(m, new, K_new, k_new, f_new, K, X, y)
        D, D_new = np.maximum(D, 1e-150), np.maximum(D_new, 1e-150)
        K, K_new = np.diag(D) @ K @ np.diag(D), np.diag(D_new) @ K_new @ np.diag(D)
        k, k_new = D**2 * k, D_new**2 * k_new
        if not retrain:
            return K_new @ (m.lam * y) + m.b, errors
        m = machine(K, y, C)
        errors.append(np.mean((m.f >= 0) != (y > 0)))
        if theta is not None and errors[-2] - errors[-1] <= theta:
            break
    return m.svm.decision_function(K_new), errors


def kernel_scaling(decay_pos, decay_neg):
    def factor(m, Z, K_Z, k_Z, f_Z, K, X, y):
        return np.array([np.exp(-(decay_pos if f >= 0 else decay_neg) * f**2) for f in f_Z])

    return factor


def amari_wu(tau):
    def factor(m, Z, K_Z, k_Z, f_Z, K, X, y):
        return np.array(
            [sum(m.lam[i] * np.exp(-sq(z, X[i]) / (2 * tau**2)) for i in m.sv) for z in Z]
        )

    return factor


def wu_amari(M):
    def factor(m, Z, K_Z, k_Z, f_Z, K, X, y):
        sv, tau2 = places(m.sv, X, y), {}
        for i in sv:
            others = sorted(sq(X[i], X[j]) for j in sv if j != i)
            tau2[i] = np.mean(others[: min(M, sv.size - 1)])
        tau2 = without_zeros(tau2)
        return np.array([sum(np.exp(-sq(z, X[i]) / tau2[i]) for i in sv) for z in Z])

    return factor


def act(scope="opposite", eta="ratio", distance=lambda x, z: sq(x, z)):
    def factor(m, Z, K_Z, k_Z, f_Z, K, X, y):
        sv = places(m.sv, X, y)
        plus, minus = sv[y[sv] > 0], sv[y[sv] < 0]
        if plus.size == 0 or minus.size == 0:
            return None
        eta_p, eta_n = minus.size / plus.size, plus.size / minus.size
        if eta == "mild":
            eta_p = 1.0
        if minus.size < plus.size:
            eta_p = eta_n = 1.0
        tau2 = {}
        for s in sv:
            opposite = minus if y[s] > 0 else plus
            everyone = opposite if scope == "opposite" else sv[sv != s]
            from_s = [delta2(K, s, u) for u in everyone]
            middle = (min(from_s) + max(from_s)) / 2
            near = [delta2(K, s, u) for u in opposite if delta2(K, s, u) < middle]
            width = np.mean(near) if near else min(delta2(K, s, u) for u in opposite)
            tau2[s] = width
        tau2 = without_zeros(tau2)
        tau2 = {s: (eta_p if y[s] > 0 else eta_n) * tau2[s] for s in sv}
        return np.array([sum(np.exp(-distance(z, X[s]) / tau2[s]) for s in sv) for z in Z])

    return factor


def boundary_alignment(pairs="nearest", beta="log_loss", scope="support_vectors"):
    def factor(m, Z, K_Z, k_Z, f_Z, K, X, y):
        sv = places(m.sv, X, y)
        plus, minus = sv[y[sv] > 0], sv[y[sv] < 0]
        if plus.size == 0 or minus.size == 0:
            return None
        if pairs == "all":
            chosen = {(p, q) for p in plus for q in minus}
        else:
            chosen = {(p, min(minus, key=lambda q: delta2(K, p, q))) for p in plus}
            chosen |= {(min(plus, key=lambda p: delta2(K, p, q)), q) for q in minus}
        a = beta_of(m, y, plus, minus) if beta == "log_loss" else beta
        a = np.mean(y < 0) if beta == "ratio" else a
        norms, tau2 = {}, {}
        for p, q in chosen:
            norm = (1 - a) ** 2 * K[p, p] + a**2 * K[q, q] + 2 * a * (1 - a) * K[p, q]
            norms[p, q] = norm
            if scope == "boundary":
                images = combination(p, q, a, y.size), [combination(*o, a, y.size) for o in chosen]
                apart = [(images[0] - o) @ K @ (images[0] - o) for o in images[1]]
                apart.remove(min(apart))  # its own, 0
            else:
                apart = [K[i, i] - 2 * ((1 - a) * K[i, p] + a * K[i, q]) + norm for i in sv]
            middle = (min(apart) + max(apart)) / 2
            near = [d for d in apart if d < middle]
            tau2[p, q] = np.mean(near) if near else min(apart)
        tau2, total = without_zeros(tau2), np.zeros(len(Z))
        for p, q in chosen:
            squared = k_Z - 2 * ((1 - a) * K_Z[:, p] + a * K_Z[:, q]) + norms[p, q]
            total += np.exp(-squared / tau2[p, q])
        return total / len(chosen)

    return factor


def combination(p, q, a, n):
    """Coefficients of (1 - a) Phi(x_p) + a Phi(x_q) over the images of n points."""
    coef = np.zeros(n)
    coef[p] += 1 - a
    coef[q] += a
    return coef


def beta_of(m, y, plus, minus):
    ratio = np.sum(y < 0) / np.sum(y > 0)
    losses = {}
    for a in np.arange(50, 101, 2) / 100:
        g = m.f + (2 * a - 1)
        losses[a] = ratio * np.mean(np.log(1 + np.exp(-g[plus])))
        losses[a] += np.mean(np.log(1 + np.exp(g[minus])))
    return min(losses, key=losses.get)


def chi_square(K, K_new, codes, *, C, n_iterations, rule="chi2", counts="true"):
    """Values of one machine per class on one kernel for all, for more than two classes."""
    classes = np.unique(codes)
    n = codes.size
    for t in range(n_iterations + 1):
        targets = [np.where(codes == c, 1, -1) for c in classes]
        machines = [machine(K, y, C) for y in targets]
        F = np.column_stack([m.f for m in machines])
        F_new = np.column_stack([m.svm.decision_function(K_new) for m in machines])
        if t == n_iterations:
            return F_new
        n_c = np.array([np.sum(codes == c) for c in classes])
        if counts == "predicted":
            n_c = sum(np.isin(classes, tied(f)) / len(tied(f)) for f in F)
        E = n / classes.size
        chi2_c = (n_c - E) ** 2 / E
        k = n_c / n * (chi2_c / chi2_c.sum() if rule == "chi2" else chi2_c.sum() / n)
        D = np.array([np.exp(-min(k[tied(f)]) * max(f) ** 2) for f in F])
        D_new = np.array([np.exp(-min(k[tied(f)]) * max(f) ** 2) for f in F_new])
        K, K_new = np.diag(D) @ K @ np.diag(D), np.diag(D_new) @ K_new @ np.diag(D)


def places(sv, X, y):
    """Support vectors that share place and class count once."""
    first = {}
    for i in sv:
        first.setdefault((y[i], *X[i]), i)
    return np.array(sorted(first.values()))


def without_zeros(tau2):
    smallest = min(value for value in tau2.values() if value > 0)
    return {key: value if value > 0 else smallest for key, value in tau2.items()}


def tied(f):
    """Classes with the largest value, up to what is known of values on the margin."""
    return [c for c in range(f.size) if f[c] >= max(f) - 1e-5]


def sq(x, z):
    return np.sum((x - z) ** 2)


def delta2(K, s, u):
    return K[s, s] + K[u, u] - 2 * K[s, u]
