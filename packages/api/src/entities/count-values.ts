const [quote, backslash, comma, bracket, brace] = Buffer.from('"\\,[{');

/**
 * Counts the values in JSON text without parsing it. Stops once there are more than `most`. Each value except the outermost one follows a
 * comma or an opening bracket, so commas and opening brackets are counted. Empty lists and objects therefore count twice.
 */
export function countValues(json: Uint8Array, most: number): number {
  let count = 1;
  for (let at = 0; at < json.length && count <= most; at += 1) {
    const byte = json[at];
    if (byte === comma || byte === bracket || byte === brace) count += 1;
    else if (byte === quote) at = endOfString(json, at);
  }
  return count;
}

/** Returns the position of the closing quote of the string that starts at `from`. */
function endOfString(json: Uint8Array, from: number): number {
  let at = from + 1;
  for (; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1;
  return at;
}
