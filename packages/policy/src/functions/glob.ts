/**
 * Returns whether the whole text matches a pattern in which `*` matches any sequence of characters and `?` matches one. Takes at most text
 * length times pattern length steps.
 */
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
      // Backtrack: let the last star match one more character.
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
