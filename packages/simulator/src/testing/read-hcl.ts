/** A block of a configuration, such as `resource "aws_vpc" "this" { ... }`. */
export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  /** The first line of each attribute's expression, keyed by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly blocks: readonly HclBlock[];
  /** The source text of the block's body. */
  readonly text: string;
}

interface OpenBlock extends HclBlock {
  readonly attributes: Record<string, string>;
  readonly blocks: HclBlock[];
  readonly start: number;
}

const header = /^(\w+)((?: "[^"]*")*) \{$/;
const attribute = /^("?[\w:./-]+"?) += (.*)$/;

/** Parses a file formatted by `terraform fmt`. Such a file has one statement per line, and brackets open at the end of a line. */
export function readHcl(text: string): readonly HclBlock[] {
  const lines = text.split("\n").map((line) => line.trim());
  const root: OpenBlock = { type: "", labels: [], attributes: {}, blocks: [], text, start: 0 };
  // For each open bracket: the block that it opened, or undefined if the bracket belongs to an expression.
  const open: (OpenBlock | undefined)[] = [root];
  for (const [index, line] of lines.entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const inside = open.at(-1);
    const [, type = "", labels = ""] = header.exec(line) ?? [];
    if (inside !== undefined && type !== "") {
      const names = [...labels.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");
      open.push({ type, labels: names, attributes: {}, blocks: [], text: "", start: index });
      continue;
    }
    const [, name = "", value = ""] = attribute.exec(line) ?? [];
    if (inside !== undefined && name !== "") inside.attributes[name] = value;
    for (const bracket of listBrackets(line)) {
      if ("{[(".includes(bracket)) {
        open.push(undefined);
        continue;
      }
      const closed = open.pop();
      if (closed === undefined) continue;
      open.at(-1)?.blocks.push({ ...closed, text: lines.slice(closed.start, index + 1).join("\n") });
    }
  }
  return root.blocks;
}

/** Returns the brackets of a line that are outside string literals. Assumes that brackets in `${...}` inside a literal are balanced. */
function listBrackets(line: string): readonly string[] {
  const bare = line.replaceAll(/"(?:\\.|\$\{(?:[^{}"]|"[^"]*")*\}|[^"\\])*"/g, '""').replace(/#.*$/, "");
  return bare.match(/[{}[\]()]/g) ?? [];
}
