/** Result of one attempt to pass a gate. The message never contains more than a short excerpt of a response. */
export interface GateResult {
  readonly passed: boolean;
  readonly message: string;
}

/** Maximum number of bytes that a gate reads from a response. */
export const maxBodyBytes = 65_536;

const excerptLength = 120;
const named =
  /\b(token|secret|password|passwd|authorization|cookie|credential|api[-_]?key|session)(["']?\s*[:=]\s*)("[^"]*"|'[^']*'|(?:bearer |basic )?[^\s,;&"'}]+)/gi;
const opaque = /[A-Za-z0-9+/_=.-]{24,}/g;

/** Returns the beginning of a response on one line, without values that could be secrets. */
export function renderExcerpt(text: string): string {
  const plain = text
    .slice(0, 4 * excerptLength)
    .replace(named, "$1$2[redacted]")
    .replace(opaque, "[redacted]");
  const line = plain
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > excerptLength ? `${line.slice(0, excerptLength)}...` : line;
}
