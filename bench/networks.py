"""Networks against PyTorch and scikit-learn, in turns: seconds a step, and the ratio.

    ERMINE_DATA=folder python bench/networks.py [--rounds 7] [--threads 2] [--cpu] target/release/examples/speed [TASK ...]

Needs torch and scikit-learn, and the example `speed` of crate ermine-neural. All have the same number of threads. PyTorch runs in every
variant (plain, a fused optimizer, channels last for images), and the best of them counts; scikit-learn's perceptrons run in float32, as
the others do, and in float64, which is what it makes of rows that are not float32. Before every turn the machine rests, since threads of
the one before go on spinning for a while. With --cpu the seconds are those of the processor, which is what can be compared on one
thread of a busy machine.
"""

import argparse
import gzip
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits
from torch import nn

CLOCK = [time.perf_counter]
TICK = os.sysconf("SC_CLK_TCK")
REST = 0.4


def clothes():
    folder = os.path.join(os.environ["ERMINE_DATA"], "fashion_mnist")
    with gzip.open(f"{folder}/train-images-idx3-ubyte.gz") as f:
        x = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(f"{folder}/train-labels-idx1-ubyte.gz") as f:
        y = np.frombuffer(f.read(), np.uint8, offset=8)
    return torch.from_numpy(x.astype(np.float32) / 255), torch.from_numpy(y.astype(np.int64))


def perceptron(*sizes):
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


def normalized():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Dropout(0.25), nn.Linear(3136, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10),
    )


def autoencoder():
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 32), nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 784))


def he(net):
    """The weights as Ermine draws them, so that the losses can be compared: He's before a ReLU, Glorot's elsewhere."""
    for layer, after in zip(net, [*net[1:], None]):
        if isinstance(layer, (nn.Linear, nn.Conv2d)):
            curved = isinstance(after, (nn.ReLU, nn.BatchNorm2d))
            nn.init.kaiming_normal_(layer.weight) if curved else nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    return net


def halves(output, target):
    return 0.5 * nn.functional.mse_loss(output, target, reduction="sum") / len(target)


def train(make, X, Y, batch, epochs, variant):
    torch.manual_seed(0)
    net = he(make())
    last = variant == "last"
    if last:
        net = net.to(memory_format=torch.channels_last)
    criterion = halves if Y is X else nn.CrossEntropyLoss()
    started = CLOCK[0]()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=None if variant == "plain" else True)
    steps, total = 0, 0.0
    for _ in range(epochs):
        order = torch.randperm(len(X))
        total = 0.0
        for at in range(0, len(X), batch):
            rows = order[at : at + batch]
            x = X[rows]
            y = x if Y is X else Y[rows]
            if last:
                x = x.contiguous(memory_format=torch.channels_last)
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(rows)
            steps += 1
    return CLOCK[0]() - started, steps, total / len(X)


def scikit(hidden, X, Y, batch, epochs, numbers):
    X, Y = X.numpy().astype(numbers), Y.numpy()
    net = MLPClassifier(hidden, batch_size=batch, max_iter=epochs, alpha=0, tol=0, n_iter_no_change=epochs, random_state=0)
    started = CLOCK[0]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(X, Y)
    return CLOCK[0]() - started, len(X) // batch * epochs, net.loss_curve_[-1]


@torch.inference_mode()
def one_row(make, x, times):
    net = make().eval()
    for _ in range(50):
        net(x)
    started = CLOCK[0]()
    for _ in range(times):
        net(x)
    return CLOCK[0]() - started, times, 0.0


def tasks(x, y):
    images = x.reshape(-1, 1, 28, 28)
    quarters = x.reshape(-1, 2, 14, 2, 14).mean((2, 4)).reshape(-1, 4).contiguous()
    high = (y > 4).long()
    auto = x[:12_800] - x[:12_800].mean(0)
    auto /= auto.square().mean().sqrt()
    few, kinds = x[:12_800], y[:12_800]
    quarter, half = quarters[:12_800], high[:12_800]
    precisions = {"float32": np.float32, "float64": np.float64}

    def torches(run, *variants):
        return {"torch": [(v, lambda v=v: run(v)) for v in variants]}

    def perceptrons(hidden, X, Y, batch, epochs):
        sizes = (X.shape[1], *hidden, int(Y.max()) + 1)
        ours = torches(lambda v: train(lambda: perceptron(*sizes), X, Y, batch, epochs, v), "plain", "fused")
        theirs = {f"sklearn {n}": [(n, lambda t=t: scikit(hidden, X, Y, batch, epochs, t))] for n, t in precisions.items()}
        return ours | theirs

    return {
        "mlp": perceptrons((256, 128), few, kinds, 128, 2),
        "tiny": perceptrons((64, 64), quarter, half, 64, 5),
        "lenet": torches(lambda v: train(lenet, images[:3_200], y[:3_200], 64, 2, v), "plain", "fused", "last"),
        "normalised": torches(lambda v: train(normalized, images[:1_280], y[:1_280], 64, 2, v), "plain", "fused", "last"),
        "autoencoder": torches(lambda v: train(autoencoder, auto, auto, 128, 1, v), "plain", "fused"),
        "mlp-1": torches(lambda v: one_row(lambda: perceptron(784, 256, 128, 10), x[:1], 500), "plain"),
        "tiny-1": torches(lambda v: one_row(lambda: perceptron(4, 64, 64, 2), quarters[:1], 500), "plain"),
        "lenet-1": torches(lambda v: one_row(lenet, images[:1], 200), "plain"),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("example")
    parser.add_argument("tasks", nargs="*")
    args = parser.parse_args()
    if args.cpu:
        CLOCK[0] = time.process_time
    torch.set_num_threads(args.threads)
    threadpool_limits(args.threads)
    all_tasks = tasks(*clothes())
    env = dict(os.environ, RAYON_NUM_THREADS=str(args.threads))
    ours = subprocess.Popen([args.example], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def spent():
        with open(f"/proc/{ours.pid}/stat") as f:
            return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / TICK

    def ask(name):
        before = spent()
        ours.stdin.write(name + "\n")
        ours.stdin.flush()
        line = ours.stdout.readline()
        if not line:
            sys.exit(f"{args.example} has ended at task {name}")
        seconds, steps, loss = map(float, line.split())
        if args.cpu:
            seconds = spent() - before
        return seconds / steps * 1e6, loss

    def turn(run):
        time.sleep(REST)
        return run()

    print(f"{'task':<12} {'ermine':>9} {'other':>9} {'ratio':>6} {'least':>6} {'most':>6}   loss (µs a step, medians of {args.rounds} turns)")
    for name in args.tasks or all_tasks:
        peers = all_tasks[name]
        ask(name), [run() for variants in peers.values() for _, run in variants]
        mine, theirs, losses = [], {}, {}
        for _ in range(args.rounds):
            us, losses["ermine"] = turn(lambda: ask(name))
            mine.append(us)
            for peer, variants in peers.items():
                for variant, run in variants:
                    seconds, steps, losses[peer] = turn(run)
                    theirs.setdefault((peer, variant), []).append(seconds / steps * 1e6)
        for peer, variants in peers.items():
            best = min((v for v, _ in variants), key=lambda v: statistics.median(theirs[peer, v]))
            other = theirs[peer, best]
            ratios = [b / a for a, b in zip(mine, other)]
            label = peer if best in peer else f"{peer} {best}"
            print(
                f"{name:<12} {statistics.median(mine):>9.1f} {statistics.median(other):>9.1f} {statistics.median(ratios):>6.2f} "
                f"{min(ratios):>6.2f} {max(ratios):>6.2f}   {losses['ermine']:.4f} {losses[peer]:.4f} ({label})",
                flush=True,
            )
    ours.stdin.close()
    ours.wait()


if __name__ == "__main__":
    main()
