"""scikit-learn on the rows that `measure_naive_bayes` left in a folder: one JSON object for each measurement."""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

folder, repeats = sys.argv[1], int(sys.argv[2])
COLUMNS = 20


def load(name, kind):
    return np.fromfile(os.path.join(folder, name + ".bin"), kind)


def best(task, step, work, **more):
    cpu, wall = float("inf"), float("inf")
    for _ in range(repeats):
        begin, start = time.process_time(), time.perf_counter()
        result = work()
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - begin)
    print(json.dumps(dict(task=task, step=step, threads=1, cpu_s=cpu, wall_s=wall, **more)), flush=True)
    return result


def agreement(task, predicted):
    share = float(np.mean(predicted == load(task.split()[-1] + "-predicted", np.int64)))
    print(json.dumps(dict(task=task, step="agreement", share=share)), flush=True)


def chunked(make, x, y, classes, rows):
    model = make()
    for start in range(0, x.shape[0], rows):
        model.partial_fit(x[start : start + rows], y[start : start + rows], classes=classes)
    return model


# What binarizes is what one gets without asking; what does not trusts that all cells are 0 and 1.
for task, make in (
    ("gaussian", GaussianNB),
    ("bernoulli", BernoulliNB),
    ("trusting bernoulli", lambda: BernoulliNB(binarize=None)),
):
    name = task.split()[-1]
    x, y = load(name + "-x", np.float64).reshape(-1, COLUMNS), load(name + "-y", np.int64)
    model = best(task, "fit", lambda: make().fit(x, y))
    best(task, "fit in chunks", lambda: chunked(make, x, y, [0, 1], 10_000))
    agreement(task, best(task, "predict", lambda: model.predict(x)))
    best(task, "predict probabilities", lambda: model.predict_proba(x))

lengths = load("multinomial-lengths", np.int64)
terms = load("multinomial-terms", np.uint32).astype(np.int32)
starts = np.concatenate([[0], np.cumsum(lengths)])
n_terms = 50_000 if len(lengths) == 100_000 else 500
x = scipy.sparse.csr_matrix((load("multinomial-counts", np.float64), terms, starts), shape=(len(lengths), n_terms))
y = load("multinomial-y", np.int64)
model = best("multinomial", "fit", lambda: MultinomialNB().fit(x, y))
parts = [(x[i : i + 1000], y[i : i + 1000]) for i in range(0, x.shape[0], 1000)]


def partial():
    model = MultinomialNB()
    for part, labels in parts:
        model.partial_fit(part, labels, classes=np.arange(20))
    return model


best("multinomial", "fit in chunks", partial)
agreement("multinomial", best("multinomial", "predict", lambda: model.predict(x)))
