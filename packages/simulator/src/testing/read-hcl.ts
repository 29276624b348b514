/** A block of a configuration: `resource "aws_vpc" "this" { ... }`. */
export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  /** Names of attributes, and what is written behind each `=` on its first line. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly blocks: readonly HclBlock[];
  /** Everything in it, as written. */
  readonly text: string;
}

interface OpenBlock extends HclBlock {
  readonly attributes: Record<string, string>;
  readonly blocks: HclBlock[];
  readonly start: number;
}

const header = /^(\w+)((?: "[^"]*")*) \{$/;
const attribute = /^("?[\w:./-]+"?) += (.*)$/;

/** Reads the blocks of a file that `terraform fmt` has formatted: one statement a line, brackets that open at the end of one. */
export function readHcl(text: string): readonly HclBlock[] {
  const lines = text.split("\n").map((line) => line.trim());
  const root: OpenBlock = { type: "", labels: [], attributes: {}, blocks: [], text, start: 0 };
  // Of each bracket that is open the block that it opened; none where it is part of an expression.
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

/** The brackets of a line that are not in a text; those of `${...}` in a text come in pairs there. */
function listBrackets(line: string): readonly string[] {
  const bare = line.replaceAll(/"(?:\\.|\$\{(?:[^{}"]|"[^"]*")*\}|[^"\\])*"/g, '""').replace(/#.*$/, "");
  return bare.match(/[{}[\]()]/g) ?? [];
}
