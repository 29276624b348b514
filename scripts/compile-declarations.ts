import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listPackages, scope } from "./workspace.ts";

const root = join(import.meta.dirname, "..");

/**
 * Compiles the declarations of some source files and of everything they import, and passes the folder that contains them to `read`. The
 * folder mirrors `packages/` and is deleted afterwards.
 */
export function compileDeclarations(files: readonly string[], read: (emitted: string) => void): void {
  const emitted = mkdtempSync(join(root, "packages", ".types-"));
  try {
    const project = join(emitted, "tsconfig.json");
    const compilerOptions = {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      outDir: emitted,
      rootDir: join(root, "packages"),
      paths: mapExports(),
    };
    writeFileSync(project, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }));
    execFileSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", project], { stdio: "inherit" });
    read(emitted);
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/**
 * Maps each export of a package to its source file. Without this map the compiler treats a file as external, and emits nothing for it, if
 * it reaches the file by package name first. TypeScript 7 loads files in parallel, so the declarations would sometimes be incomplete.
 */
function mapExports(): Record<string, string[]> {
  const packages = listPackages(root).filter(({ folder }) => folder.startsWith("packages/"));
  return Object.fromEntries(
    packages.flatMap(({ folder, name, manifest }) =>
      Object.entries(manifest.exports ?? {}).map(([path, file]) => [
        `${scope}${name}${path.slice(1)}`,
        [join(root, folder, file)],
      ]),
    ),
  );
}
