// Draws the charts and sorts the table of one report. Nothing here is needed to read the page.
(() => {
  "use strict";
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = read("charts");
  const narrow = matchMedia("screen and (max-width: 940px)");
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // All text takes the page's colour, so that one drawing serves light, dark and print.
  const ink = "currentColor";
  const config = {
    aria: false, // the chart's box carries the description
    background: "transparent",
    title: { color: ink, subtitleColor: ink },
    style: { "guide-label": { fill: ink }, "guide-title": { fill: ink } },
  };

  const draw = () => {
    for (const [name, chart] of Object.entries(charts)) {
      const spec = narrow.matches ? { ...chart.narrow, datasets: chart.wide.datasets } : chart.wide;
      const options = {
        renderer: "svg",
        config,
        actions: { export: true, source: false, compiled: false, editor: false },
        tooltip: { theme: dark.matches ? "dark" : "light" },
      };
      const box = document.getElementById("chart-" + name);
      vegaEmbed(box, spec, options)
        .then(() => {
          box.querySelector("svg")?.setAttribute("aria-hidden", "true");
          box.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
        })
        .catch((error) => {
          box.textContent = "This chart failed: " + error.message;
        });
    }
  };
  if (window.vegaEmbed) {
    draw();
    narrow.addEventListener("change", draw);
  }

  const table = document.querySelector("table.queries");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const compare = (a, b) =>
    typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.type = "button";
    head.textContent = "";
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    });
  });
  const find = document.getElementById("find");
  const found = document.getElementById("found");
  document.querySelector(".find").hidden = false;
  find.addEventListener("input", () => {
    const word = find.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const hit = !word || row.textContent.toLowerCase().includes(word);
      row.hidden = !hit;
      shown += hit;
    }
    found.textContent = shown + " of " + rows.length + " rows";
  });
})();
