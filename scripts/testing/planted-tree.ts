import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A tiny workspace in a temporary folder that passes every guard. Each test plants one violation in it. */
export interface PlantedTree extends Disposable {
  readonly root: string;
  write(file: string, text: string): void;
  /** Applies a change to a JSON file. */
  edit(file: string, change: (json: Json) => void): void;
}

// oxlint-disable-next-line typescript/no-explicit-any -- plants reach into arbitrary JSON
type Json = any;

const platform = join(import.meta.dirname, "..", "..");
const configurations = ["tsconfig.json", ".oxlintrc.json", ".oxfmtrc.json", "knip.json"];

/** Creates the workspace with the guards' real configuration files. */
export function plantTree(): PlantedTree {
  const root = mkdtempSync(join(tmpdir(), "cloudwright-guards-"));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const [file, content] of Object.entries(clean)) {
    write(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
  for (const file of configurations) cpSync(join(platform, file), join(root, file));
  linkModules(root);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  return {
    root,
    write,
    edit(file, change) {
      const json: Json = JSON.parse(readFileSync(join(root, file), "utf8"));
      change(json);
      write(file, `${JSON.stringify(json, null, 2)}\n`);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

// Links third-party modules to the installed ones, and workspace packages to the packages of the planted tree.
function linkModules(root: string): void {
  const modules = join(root, "node_modules");
  mkdirSync(join(modules, "@cloudwright"), { recursive: true });
  for (const name of ["@types", "pino", "vitest"]) symlinkSync(join(platform, "node_modules", name), join(modules, name));
  for (const name of ["platform", "store"]) symlinkSync(join(root, "packages", name), join(modules, "@cloudwright", name));
}

function describePackage(name: string, uses: string[], rest: object = { exports: { ".": "./src/index.ts" } }): object {
  const dependencies = Object.fromEntries(uses.map((used) => [`@cloudwright/${used}`, "0.1.0"]));
  return { name: `@cloudwright/${name}`, version: "0.1.0", private: true, type: "module", ...rest, dependencies };
}

const clean: Readonly<Record<string, string | object>> = {
  ".gitignore": "node_modules/\n",
  "package.json": {
    name: "platform",
    private: true,
    type: "module",
    workspaces: ["packages/*", "apps/*"],
    devDependencies: { vitest: "5.1.0" },
  },
  "package-lock.json": {
    packages: { "": { name: "platform" }, "node_modules/@cloudwright/store": { resolved: "packages/store", link: true } },
  },
  "layers.json": `{
  "packages": {
    "platform": { "layer": 0, "uses": [] },
    "store": { "layer": 2, "uses": ["platform"] },
    "control-plane": { "layer": 5, "uses": ["platform", "store"] }
  }
}
`,
  "packages/platform/package.json": describePackage("platform", []),
  "packages/platform/src/index.ts": `export * from "./home.ts";\n`,
  "packages/platform/src/home.ts": `export const home = process.env["CLOUDWRIGHT_HOME"] ?? "here";\n`,
  "packages/store/package.json": describePackage("store", ["platform"], {
    exports: { ".": "./src/index.ts", "./testing": "./src/testing/index.ts" },
  }),
  "packages/store/src/index.ts": `export { readRows } from "./rows.ts";\n`,
  "packages/store/src/rows.ts": `import { home } from "@cloudwright/platform";

export async function readRows(): Promise<string[]> {
  return await Promise.resolve([home]);
}
`,
  "packages/store/src/rows.test.ts": `import { expect, test } from "vitest";
import { readRows } from "./rows.ts";

test("rows are read", async () => {
  expect(await readRows()).toHaveLength(1);
});
`,
  "packages/store/src/testing/index.ts": `export const noRows: string[] = [];\n`,
  "apps/control-plane/package.json": describePackage("control-plane", ["platform", "store"], {}),
  "apps/control-plane/src/main.ts": `import { home } from "@cloudwright/platform";
import { readRows } from "@cloudwright/store";

console.log(home, await readRows());
`,
};
