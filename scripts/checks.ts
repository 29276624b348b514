/** A guard. Its command runs in the repository root, with node_modules/.bin on PATH. */
export interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** All guards, fastest first. guards.long.test.ts plants a violation for each. */
export const checks: readonly Check[] = [
  { name: "layers", command: own("check-layers.ts") },
  { name: "imports", command: own("check-imports.ts") },
  { name: "file-names", command: own("check-file-names.ts") },
  { name: "kinds", command: own("check-kinds.ts") },
  { name: "clouds", command: own("check-clouds.ts") },
  { name: "task-types", command: own("check-task-types.ts") },
  { name: "addresses", command: own("check-addresses.ts") },
  { name: "patterns", command: own("check-patterns.ts") },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "types", command: own("check-types.ts") },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "dead-code", command: ["knip", "--no-progress", "--no-config-hints"] },
  { name: "contract", command: own("check-contract.ts") },
  { name: "generated", command: own("generate.ts", "--check") },
];

function own(script: string, ...args: string[]): [string, ...string[]] {
  return [process.execPath, `${import.meta.dirname}/${script}`, ...args];
}
