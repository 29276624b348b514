/**
 * Returns the text without the given characters at its end, however often they are repeated. Unlike a pattern such as `/=+$/`, its time does
 * not grow with the square of the length if the text repeats the characters elsewhere.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
