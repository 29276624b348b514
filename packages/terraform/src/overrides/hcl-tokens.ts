/** Matches a sticky pattern at a position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Returns the end of the comment, string or heredoc that starts at this position, or the position itself if none starts there. */
export function skipToken(text: string, at: number): number {
  const comment = matchAt(/(#|\/\/)[^\n]*|\/\*[^]*?(\*\/|$)/y, text, at);
  if (comment !== undefined) return at + comment[0].length;
  const heredoc = matchAt(/<<-?(?<end>[\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy, text, at);
  if (heredoc !== undefined) {
    const end = matchAt(new RegExp(String.raw`[^]*?^[ \t]*${heredoc.groups?.["end"]}\r?$`, "muy"), text, at + heredoc[0].length);
    return end === undefined ? text.length : at + heredoc[0].length + end[0].length;
  }
  return text[at] === '"' ? skipText(text, at + 1) : at;
}

function skipText(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') {
    const isTemplate = /^[$%]\{$/.test(text.slice(at, at + 2)) && text[at - 1] !== text[at];
    if (isTemplate) at = skipTemplate(text, at + 2);
    else at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function skipTemplate(text: string, from: number): number {
  let at = from;
  for (let depth = 1; at < text.length && depth > 0;) {
    const skipped = skipToken(text, at);
    if (skipped === at && text[at] === "{") depth += 1;
    if (skipped === at && text[at] === "}") depth -= 1;
    at = skipped === at ? at + 1 : skipped;
  }
  return at;
}
