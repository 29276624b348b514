/** Renders a named set. Sets keep the number of rules small, however many ports and networks exist. */
export function renderSet(name: string, type: string, elements: readonly string[], flags?: "interval"): string[] {
  const unique = [...new Set(elements)].toSorted();
  return [
    `  set ${name} {`,
    `    type ${type}`,
    ...(flags === undefined ? [] : [`    flags ${flags}`, "    auto-merge"]),
    ...renderElements(unique),
    "  }",
  ];
}

/** Renders a map from addresses or interfaces to the chains that decide what happens to their packets. */
export function renderJumps(name: string, type: string, chains: readonly (readonly [key: string, chain: string])[]): string[] {
  const elements = chains.map(([key, chain]) => `${key} : jump ${chain}`);
  return [`  map ${name} {`, `    type ${type} : verdict`, ...renderElements(elements.toSorted()), "  }"];
}

/** Renders a chain. The first line of a base chain defines where packets enter it. */
export function renderChain(name: string, lines: readonly string[]): string[] {
  return [`  chain ${name} {`, ...lines.map((line) => `    ${line}`), "  }"];
}

/**
 * Renders the replacement of a table. nft applies everything in one input of `nft -f` as one transaction, so each packet is checked against
 * either the old or the new table. Declaring the table first lets the deletion succeed even if the table does not exist.
 */
export function renderTable(name: string, blocks: readonly (readonly string[])[]): string {
  return [...renderDeletion(name), `table ${name} {`, ...blocks.flat(), "}", ""].join("\n");
}

export function renderDeletion(name: string): string[] {
  return [`table ${name}`, `delete table ${name}`];
}

/** An empty list of elements is a syntax error in nft. */
function renderElements(elements: readonly string[]): string[] {
  return elements.length === 0 ? [] : [`    elements = { ${elements.join(",\n      ")} }`];
}
