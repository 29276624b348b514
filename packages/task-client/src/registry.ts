import type { Handler } from "./handler.ts";

/** What a handler supports. */
export interface HandlerScope {
  /** Task types, such as `network.apply`, or `*` for all. */
  readonly types: readonly string[];
  /** The cloud that it supports. All if omitted. */
  readonly cloud?: string;
}

/** Handlers by task type and cloud. */
export interface HandlerRegistry {
  register(scope: HandlerScope, handler: Handler): void;
  /** Finds the most specific handler: for type and cloud, for the type, for the cloud, or for everything. */
  find(type: string, cloud: string | undefined): Handler | undefined;
  /** Returns the types that have a handler. */
  types(): string[];
}

/** Creates an empty registry. A later registration of the same scope replaces an earlier one. */
export function createHandlerRegistry(): HandlerRegistry {
  const handlers = new Map<string, Handler>();
  const types = new Set<string>();
  const key = (type: string, cloud: string): string => `${type} ${cloud}`;
  return {
    register(scope, handler) {
      for (const type of scope.types) {
        types.add(type);
        handlers.set(key(type, scope.cloud ?? ""), handler);
      }
    },
    find(type, cloud) {
      const places = [key(type, cloud ?? ""), key(type, ""), key("*", cloud ?? ""), key("*", "")];
      return places.map((place) => handlers.get(place)).find((handler) => handler !== undefined);
    },
    types: () => [...types].toSorted(),
  };
}
