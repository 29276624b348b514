import { readFile } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";

/** Lists the mount points at or below a folder, innermost first. */
export async function listMounts(folder: string): Promise<string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  const points = lines.flatMap((line) => {
    const point = line.split(" ")[4];
    return point === undefined ? [] : [decodePath(point)];
  });
  return points.filter((point) => isWithin(folder, point)).toReversed();
}

function isWithin(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return rest === "" || (rest !== ".." && !rest.startsWith("../") && !isAbsolute(rest));
}

/** The kernel writes spaces, tabs, newlines and backslashes as octal numbers. */
function decodePath(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
