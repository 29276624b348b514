/** The lines that a claim adds to an authorized_keys file. */
export interface KeyClaim {
  /** Id of the claim: letters, digits and dashes. */
  readonly id: string;
  /** Public keys in OpenSSH's format, one line each. */
  readonly keys: readonly string[];
}

/** A user's authorized_keys file. `text` is undefined if the file does not exist. Each character stands for one byte. */
export interface KeyFile {
  readonly text: string | undefined;
  /** Whether the folder of the file exists. */
  readonly hasFolder: boolean;
}

const marker = /^# cloudwright claim (?<id>[A-Za-z0-9-]+) begin(?<flags>( [a-z]+)*)$/;

interface Block {
  readonly id: string;
  readonly flags: readonly string[];
  readonly start: number;
  /** Position after the block's last line break. */
  readonly end: number;
  readonly keys: readonly string[];
}

/** Returns the claims that are recorded in a file. */
export function listKeyClaims(text: string): KeyClaim[] {
  return findBlocks(text).map(({ id, keys }) => ({ id, keys }));
}

/**
 * Adds a claim's keys to a file, or replaces them. The added block records what it changed besides, so that `removeKeyClaim` restores every
 * byte.
 */
export function addKeyClaim(file: KeyFile, { id, keys }: KeyClaim): string {
  const former = file.text === undefined ? undefined : findBlocks(file.text).find((block) => block.id === id);
  if (former !== undefined && file.text !== undefined) {
    const block = renderBlock(id, former.flags, keys);
    return file.text.slice(0, former.start) + block + file.text.slice(former.end);
  }
  const { text = "" } = file;
  const needsBreak = text !== "" && !text.endsWith("\n");
  const flags = [
    ...(needsBreak ? ["break"] : []),
    ...(file.text === undefined ? ["file"] : []),
    ...(file.hasFolder ? [] : ["folder"]),
  ];
  return `${text}${needsBreak ? "\n" : ""}${renderBlock(id, flags, keys)}`;
}

/** The file after a claim was removed. `text` is undefined if the claim created the file and nobody else has used it. */
export interface RemovedClaim {
  readonly text: string | undefined;
  /** Whether the claim created the folder of the file. */
  readonly madeFolder: boolean;
}

/** Removes a claim's keys from a file. Returns undefined if the file does not contain the claim. Lines of others stay as they are. */
export function removeKeyClaim(text: string, id: string): RemovedClaim | undefined {
  const block = findBlocks(text).find((each) => each.id === id);
  if (block === undefined) return undefined;
  const [before, after] = [text.slice(0, block.start), text.slice(block.end)];
  const isLast = after === "";
  const kept = block.flags.includes("break") && isLast ? before.slice(0, -1) : before;
  const rest = kept + after;
  const isEmpty = rest === "" && block.flags.includes("file");
  return { text: isEmpty ? undefined : rest, madeFolder: isEmpty && block.flags.includes("folder") };
}

function renderBlock(id: string, flags: readonly string[], keys: readonly string[]): string {
  const begin = `# cloudwright claim ${id} begin${flags.map((flag) => ` ${flag}`).join("")}`;
  return [begin, ...keys, `# cloudwright claim ${id} end`, ""].join("\n");
}

function findBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { id: string; flags: string[]; start: number; keys: string[] } | undefined;
  let position = 0;
  for (const line of text.split("\n")) {
    const end = Math.min(position + line.length + 1, text.length);
    const { id, flags = "" } = marker.exec(line)?.groups ?? {};
    if (id !== undefined) open = { id, flags: flags.split(" ").filter(Boolean), start: position, keys: [] };
    else if (open !== undefined && line === `# cloudwright claim ${open.id} end`) {
      blocks.push({ ...open, end });
      open = undefined;
    } else open?.keys.push(line);
    position = end;
  }
  return blocks;
}
