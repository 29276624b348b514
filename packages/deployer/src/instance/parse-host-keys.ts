const begin = "-----BEGIN SSH HOST KEY KEYS-----";
const end = "-----END SSH HOST KEY KEYS-----";
// The lengths are limited, so that the search time does not grow with the square of the output's length.
const key = /(?<type>(?:ssh|ecdsa|sk)-[A-Za-z0-9@.-]{1,64}) (?<blob>[A-Za-z0-9+/]{16,4096}={0,3})/g;
const mostKeys = 32;

/**
 * Returns the SSH host keys in the output of a serial console, as `TYPE BASE64`. cloud-init prints them between two markers when a machine
 * starts for the first time. If the output contains several such blocks, the last complete one is used. Whoever controls the machine
 * controls the output.
 */
export function parseHostKeys(console: string): string[] {
  const start = console.lastIndexOf(begin, console.lastIndexOf(end));
  const last = start < 0 ? "" : console.slice(start + begin.length, console.indexOf(end, start));
  const found = [...last.matchAll(key)].map(({ groups }) => `${groups?.["type"] ?? ""} ${groups?.["blob"] ?? ""}`);
  return [...new Set(found)].slice(0, mostKeys).toSorted();
}
