/**
 * Removes all trailing repetitions of a character. Unlike a pattern such as `/=+$/`, this takes linear time even if the text repeats the
 * character elsewhere.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
