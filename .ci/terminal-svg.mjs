// Draws what a terminal shows as an SVG that needs no font and no script. Each line is a text, and each colour in it a span.

const WIDTH = 8.4;
const HEIGHT = 19;
const MARGIN = 16;
const FOREGROUND = "#d4d4d4";
const COLOURS = {
  31: "#f48771",
  32: "#89d185",
  33: "#e5c07b",
  34: "#61afef",
  35: "#c586c0",
  36: "#56b6c2",
  37: FOREGROUND,
  90: "#8a8a8a",
  91: "#f48771",
  92: "#89d185",
  93: "#e5c07b",
  94: "#61afef",
  95: "#c586c0",
  96: "#56b6c2",
};
const SEQUENCE = new RegExp(`${String.fromCodePoint(27)}\\[([0-9;]*)m`, "g");

/** Returns the SVG of a command and what it printed, with its colours (SGR sequences). */
export function drawTerminal(command, output) {
  const lines = [`$ ${command}`, ...output.trimEnd().split("\n")];
  const columns = Math.max(80, ...lines.map((line) => line.replaceAll(SEQUENCE, "").length));
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN);
  const height = lines.length * HEIGHT + 2 * MARGIN;
  const style = { colour: FOREGROUND, isBold: false };
  const rows = lines.map((line, index) => row(line, MARGIN + (index + 0.75) * HEIGHT, style));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** Draws one line. The style continues from line to line, as in a terminal. */
function row(line, y, style) {
  let [column, spans, last] = [0, "", 0];
  const add = (text) => {
    if (text === "") return;
    const x = (MARGIN + column * WIDTH).toFixed(1);
    const length = (text.length * WIDTH).toFixed(1);
    const weight = style.isBold ? ' font-weight="bold"' : "";
    spans += `<tspan x="${x}" textLength="${length}" fill="${style.colour}"${weight}>${escaped(text)}</tspan>`;
    column += text.length;
  };
  for (const found of line.matchAll(SEQUENCE)) {
    add(line.slice(last, found.index));
    last = found.index + found[0].length;
    for (const code of (found[1] || "0").split(";").map(Number)) change(style, code);
  }
  add(line.slice(last));
  return `<text y="${y.toFixed(1)}" xml:space="preserve">${spans}</text>`;
}

function change(style, code) {
  if (code === 0) Object.assign(style, { colour: FOREGROUND, isBold: false });
  else if (code === 1) style.isBold = true;
  else if (code === 2) style.colour = COLOURS[90];
  else if (code === 22) Object.assign(style, { isBold: false, colour: FOREGROUND });
  else if (code === 39) style.colour = FOREGROUND;
  else if (code in COLOURS) style.colour = COLOURS[code];
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
