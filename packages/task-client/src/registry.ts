import type { Handler } from "./handler.ts";

/** The tasks that a handler supports. */
export interface HandlerScope {
  /** Task types, such as `network.apply`, or `*` for all types. */
  readonly types: readonly string[];
  /** The supported cloud. If absent, the handler supports all clouds. */
  readonly cloud?: string;
}

/** Handlers, keyed by task type and cloud. */
export interface HandlerRegistry {
  register(scope: HandlerScope, handler: Handler): void;
  /** Returns the most specific handler. Precedence: type and cloud, type only, cloud only, any. */
  find(type: string, cloud: string | undefined): Handler | undefined;
  /** Returns the task types that have a handler. */
  types(): string[];
}

/** Creates an empty registry. Registering another handler for the same scope replaces the earlier one. */
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
