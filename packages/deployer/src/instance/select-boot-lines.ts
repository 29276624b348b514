const mostLines = 40;
const mostCharacters = 200;
/** Shorter lines of a secret, such as `fi`, would hide unrelated output. */
const leastSecret = 6;

/** Colours and other control sequences, without the escape character that starts them. */
const sequence = /^\[[0-9;?]{0,20}[A-Za-z]/;
const escape = "\u001b";

/**
 * Selects the last lines of a boot log for the timeline, which more people can read than the log itself. Lines that contain a line of a
 * secret, such as the user data, are masked, and so are private keys.
 */
export function selectBootLines(text: string, secrets: readonly string[]): string[] {
  const hidden = secrets
    .flatMap((secret) => secret.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line.length >= leastSecret);
  let isKey = false;
  const lines = text.split(/\r?\n|\r/).flatMap((raw) => {
    const line = clean(raw);
    if (line === "") return [];
    if (line.includes("PRIVATE KEY-----")) isKey = line.includes("-----BEGIN");
    const isHidden = isKey || line.includes("PRIVATE KEY-----") || hidden.some((part) => line.includes(part));
    return [isHidden ? "[secret]" : line.slice(0, mostCharacters)];
  });
  return lines.slice(-mostLines);
}

function clean(line: string): string {
  const [start = "", ...parts] = line.split(escape);
  const text = [start, ...parts.map((part) => part.replace(sequence, ""))].join("");
  return text
    .replace(/\p{Cc}/gu, "")
    .toWellFormed()
    .trim();
}
