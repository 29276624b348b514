/**
 * Builds dist/, which can be published with `npm pack ./dist`. It contains one code file and self-contained type declarations. The
 * workspace's own package.json cannot be published, because it refers to source files and private packages.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { compileDeclarations } from "../../../scripts/compile-declarations.ts";
import { renderJsonTypes } from "./json-types.ts";

const root = join(import.meta.dirname, "..");
const packages = join(root, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["src/index.ts"],
  outfile: join(dist, "index.js"),
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
emitDeclarations();
put("package.json", `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
cpSync(join(root, "README.md"), join(dist, "README.md"));

/** Emits the type declarations of this package and its dependencies. They refer to each other by path, not by package name. */
function emitDeclarations(): void {
  compileDeclarations([join(root, "src", "index.ts")], (emitted) => {
    for (const file of readdirSync(emitted, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".d.ts") || file.includes("/gen/")) continue;
      const target = file.replace("/src/", "/");
      put(join("types", target), rewriteImports(readFileSync(join(emitted, file), "utf8"), dirname(target)));
    }
  });
  put(join("types", "contract", "json.d.ts"), renderJsonTypes(join(packages, "contract", "gen", "cloudwright", "v1")));
}

function rewriteImports(text: string, folder: string): string {
  return text.replace(
    /(from |import\()"([^"]+)"/g,
    (_, head: string, specifier: string) => `${head}"${rewrite(specifier, folder)}"`,
  );
}

function rewrite(specifier: string, folder: string): string {
  if (specifier.startsWith(".")) return specifier.replace(/\.ts$/, ".js");
  const inside = /^@cloudwright\/(?<package>[a-z-]+)\/(?<path>.+)$/.exec(specifier)?.groups;
  if (inside === undefined) throw new Error(`the declarations refer to ${specifier}, which is not published`);
  const target = inside["path"]?.startsWith("gen/") ? "contract/json" : `${inside["package"]}/${inside["path"]}`;
  const path = relative(folder, `${target}.js`);
  return path.startsWith(".") ? path : `./${path}`;
}

function publishedManifest(): object {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  return {
    name,
    version,
    description: "Typed client for the Cloudwright API.",
    license,
    type: "module",
    exports: { ".": { types: "./types/api-client/index.d.ts", default: "./index.js" } },
    types: "./types/api-client/index.d.ts",
    sideEffects: false,
    engines: { node: ">=20" },
    files: ["index.js", "types"],
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  writeFileSync(join(dist, path), text);
}
