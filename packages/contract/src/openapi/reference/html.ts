/** A string that is already escaped HTML. */
export interface Html {
  readonly html: string;
}

type Piece = string | number | Html | readonly Html[];

/** Renders an HTML template. Plain values are escaped, and the template's own indentation is removed. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  const parts = strings.map((part) => part.replace(/\s+/g, (space) => (space.includes("\n") ? "\n" : space)));
  return { html: parts.reduce((text, part, index) => text + write(values[index - 1] ?? "") + part) };
}

/** Renders a comment's paragraphs and lists as HTML. Text in backticks becomes code. */
export function prose(text: string): Html[] {
  return text
    .split("\n\n")
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const lines = block.split("\n");
      const items = lines.filter((line) => line.startsWith("- "));
      const rest = lines.filter((line) => !line.startsWith("- ")).join(" ");
      const list = items.map((item) => html`<li>${inline(item.slice(2))}</li>`);
      return html`<p>${inline(rest)}</p>
        ${
          list.length > 0
            ? html`<ul>
                ${list}
              </ul>`
            : ""
        }`;
    });
}

function inline(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function write(value: Piece): string {
  if (typeof value === "string") return escape(value);
  if (typeof value === "number") return String(value);
  return "html" in value ? value.html : value.map((item) => item.html).join("");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
