/** Returns a title such as "Security groups" as part of a sentence. Abbreviations such as "SSH keys" keep their capitals. */
export function asPartOfSentence(title: string): string {
  return /^.[A-Z]/.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}
