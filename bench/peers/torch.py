"""PyTorch on the CPU, as people write it: modules, a loader of shuffled batches, Adam.

The default build from PyPI brings the libraries of graphics cards along. Give it an environment of its own:
--python torch=PYTHON.
"""

import numpy as np
import torch
from torch import nn

from contestant import Contestant, test_rows

PACKAGES = ("torch",)
TASKS = {}


def perceptron(sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )


def bn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Dropout(0.25), nn.Linear(3136, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10),
    )


def train(net, X, Y, loss, p, fused, last):
    net.train()
    optimizer = torch.optim.Adam(net.parameters(), lr=p["rate"], fused=fused or None)
    for _ in range(p["epochs"]):
        order = torch.randperm(len(X))
        for at in range(0, len(X), p["batch"]):
            rows = order[at : at + p["batch"]]
            x = X[rows]
            if last:
                x = x.contiguous(memory_format=torch.channels_last)
            optimizer.zero_grad(set_to_none=True)
            loss(net(x), Y[rows]).backward()
            optimizer.step()
    net.eval()
    return net


def network(make, images=False, rebuilt=False, fused=False, last=False):
    def factory(d, p):
        torch.set_num_threads(p["threads"])
        shape = (-1, 1, 28, 28) if images else (-1, d["X"].shape[1])
        X_test = test_rows(d, dict(rows=p.get("rows")))
        X_test = torch.from_numpy(X_test).reshape(shape)
        criterion = nn.MSELoss() if rebuilt else nn.CrossEntropyLoss()

        def fit():
            torch.manual_seed(0)
            net = make(d, p)
            if last:
                net = net.to(memory_format=torch.channels_last)
            X = torch.from_numpy(np.ascontiguousarray(d["X"], np.float32)).reshape(shape)
            Y = X if rebuilt else torch.from_numpy(d["y"])
            return train(net, X, Y, criterion, p, fused, last)

        @torch.inference_mode()
        def predict(net):
            out = net(X_test)
            return (out if rebuilt else torch.softmax(out, 1)).numpy()

        return Contestant(fit, predict)

    return factory


def mlp(d, p):
    return perceptron((d["X"].shape[1], *p["hidden"], int(d["y"].max()) + 1))


def auto(d, p):
    n, h, c = d["X"].shape[1], p["hidden"][0], p["codes"]
    return nn.Sequential(
        nn.Linear(n, h), nn.ReLU(), nn.Linear(h, c), nn.Linear(c, h), nn.ReLU(), nn.Linear(h, n)
    )


for variant, fused in (("", False), (":fused", True)):
    for task in ("mlp_784", "mlp_tiny", "mlp_784_1row", "mlp_tiny_1row"):
        TASKS[task + variant] = network(mlp, fused=fused)
    for task in ("lenet", "lenet_1row"):
        TASKS[task + variant] = network(lambda d, p: lenet(), images=True, fused=fused)
    TASKS["convnet_bn" + variant] = network(lambda d, p: bn(), images=True, fused=fused)
    TASKS["autoencoder" + variant] = network(auto, rebuilt=True, fused=fused)
for task, make in (("lenet", lenet), ("convnet_bn", bn)):
    TASKS[f"{task}:last"] = network(lambda d, p, make=make: make(), images=True, fused=True, last=True)
