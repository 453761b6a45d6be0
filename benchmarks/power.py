"""What N queries can decide: ``python -m benchmarks.power`` prints docs/planning.md's table."""

from __future__ import annotations

from falsify_nb.core.power import power

SIZES = (10, 30, 100, 300, 1000)
GAPS = (0.1, 0.2, 0.3, 0.5, 1.0)


def main() -> None:
    head = ["queries", *(f"PASS at Δ = {gap:g}" for gap in GAPS), "FAIL at Δ = 0"]
    lines = [head, ["---"] * len(head)]
    for n in SIZES:
        passes = (f"{power(gap, n).passes:.0%}" for gap in GAPS)
        lines.append([f"{n:,}", *passes, f"{power(0.0, n).fails:.0%}"])
    print("\n".join("| " + " | ".join(cells) + " |" for cells in lines))


if __name__ == "__main__":
    main()
