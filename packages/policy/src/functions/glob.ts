/** Whether a whole text is of a pattern: `*` stands for any characters, `?` for one. At most text times pattern steps. */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next;
      next += 1;
      resume = at;
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      next = star + 1;
      resume += 1;
      at = resume;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next += 1;
  return next === pattern.length;
}
