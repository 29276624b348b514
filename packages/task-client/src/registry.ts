import type { Handler } from "./handler.ts";

/** What a handler can do. */
export interface HandlerScope {
  /** Task types, for example `network.apply`; `*` for all. */
  readonly types: readonly string[];
  /** The cloud it is for; all when left out. */
  readonly cloud?: string;
}

/** Handlers by task type and cloud. */
export interface HandlerRegistry {
  register(scope: HandlerScope, handler: Handler): void;
  /** The most specific handler: the type's for this cloud, the type's, that of all types for this cloud, that of all types. */
  find(type: string, cloud: string | undefined): Handler | undefined;
  /** The types that there is a handler for. */
  types(): string[];
}

/** An empty registry; a later registration of the same scope takes the place of an earlier one. */
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
