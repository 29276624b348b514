/**
 * Returns the text without the given character at its end, however often it is repeated. Unlike a pattern such as `/=+$/`, its time does not
 * grow with the square of the length if the text repeats the character elsewhere.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
