import { parseSync } from "oxc-parser";

/** An import, re-export or dynamic import with a literal module name. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Whether type stripping removes the import. */
  readonly typeOnly: boolean;
}

/** Lists the modules that a source file imports. */
export function listImports(file: string, source: string): Import[] {
  const { module } = parseSync(file, source);
  const lineOf = (offset: number): number => source.slice(0, offset).split("\n").length;
  const imports = module.staticImports.map(({ moduleRequest, entries, start }) => ({
    specifier: moduleRequest.value,
    line: lineOf(start),
    typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
  }));
  const exports = module.staticExports.flatMap(({ entries, start }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, line: lineOf(start), typeOnly: isType }],
    ),
  );
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest, start }) => {
    const literal = /^["'`]([^"'`$]+)["'`]$/.exec(source.slice(moduleRequest.start, moduleRequest.end))?.[1];
    return literal === undefined ? [] : [{ specifier: literal, line: lineOf(start), typeOnly: false }];
  });
  return [...imports, ...exports, ...dynamic];
}
