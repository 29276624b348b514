import type { Binary } from "../binaries/binary.ts";

// If the limit is already lower, it cannot be raised and stays as it is.
const limited = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"';

/**
 * Returns the command that runs a program with at most this much private memory. The limit applies separately to each program that it starts.
 * Linux enforces it: a Go program that reaches the limit ends with a fatal error. Other systems may ignore it.
 */
export function limitMemory(
  { path }: Pick<Binary, "path">,
  args: readonly string[],
  memoryBytes: number | undefined,
): readonly [command: string, args: readonly string[]] {
  if (memoryBytes === undefined) return [path, args];
  return ["/bin/sh", ["-c", limited, "limited", String(Math.floor(memoryBytes / 1024)), path, ...args]];
}

/** Matches the line that a Go program prints when it cannot get more memory. Its words depend on the purpose of the memory. */
export const goRanOut = /^(fatal error: .{0,80}\bmemory\b|runtime: cannot map pages)/;

/** The exit code of a Go program after a fatal error. A plan ends with the same code if it contains changes. */
export const goFatalCode = 2;
