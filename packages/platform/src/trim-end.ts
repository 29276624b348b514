/**
 * Removes all given characters from the end of a text. Unlike a pattern such as `/=+$/`, this takes linear time even if the text repeats
 * the characters elsewhere.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
