import type { ProviderDefinition } from "./definition.ts";

/** Creates a definition that is built on first use, so that a process that serves one provider reads only one schema. */
export function createLazyDefinition(name: string, build: () => Omit<ProviderDefinition, "name">): ProviderDefinition {
  let built: Omit<ProviderDefinition, "name"> | undefined;
  const get = (): Omit<ProviderDefinition, "name"> => (built ??= build());
  return {
    name,
    get schema() {
      return get().schema;
    },
    get resources() {
      return get().resources ?? {};
    },
    get dataSources() {
      return get().dataSources ?? {};
    },
    get legacyTypeSystem() {
      return get().legacyTypeSystem ?? false;
    },
    get throttled() {
      return get().throttled ?? (() => ({ summary: "Too many calls" }));
    },
    validate: (config) => get().validate?.(config) ?? [],
  };
}
