from __future__ import annotations

import itertools

import numpy as np
import pytest

from falsify_nb.report.style import HUES, INK, NULL_RED

# Machado, Oliveira & Fernandes (2009), severity 1.0, for linear RGB.
VISION = {
    "trichromat": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def cielab(rgb: np.ndarray) -> np.ndarray:
    x, y, z = TO_XYZ @ np.clip(rgb, 0, 1) / [0.95047, 1.0, 1.08883]
    fx, fy, fz = (np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def contrast(one: str, other: str) -> float:
    low, high = sorted(linear(c) @ TO_XYZ[1] for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("vision", VISION)
def test_the_hues_stay_apart_for_every_vision(vision):
    # 2.3 is the just noticeable difference in CIELAB; large areas need some five times that.
    seen = [cielab(np.array(VISION[vision]) @ linear(c)) for c in HUES.values()]
    nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert nearest >= 12


@pytest.mark.parametrize("colour", [*HUES.values(), NULL_RED, INK])
@pytest.mark.parametrize("ground", ["#ffffff", "#333333"])
def test_marks_read_on_white_and_on_the_dark_chart_ground(colour, ground):
    # WCAG 2.1, criterion 1.4.11: graphical objects need 3:1.
    assert contrast(colour, ground) >= 3
