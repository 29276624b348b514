import type { EntityByKind } from "@cloudwright/api-client";
import { useEffect, useRef, useState } from "react";
import { useEntity } from "../data/live.tsx";

type OperationStatus = NonNullable<EntityByKind["Operation"]["status"]>;

/** A preflight or preview. Both are operations that change nothing. */
export interface Probe {
  /** `idle`: not started. `busy`: running. `done`: the result is available. `failed`: the operation failed. */
  readonly state: "idle" | "busy" | "done" | "failed";
  /** The status of the operation. */
  readonly status: OperationStatus | undefined;
  /** The error returned when the server refused to start the operation. */
  readonly error: unknown;
  /** Warnings in the response that started the operation. */
  readonly warnings: readonly string[];
  /** True once the operation has taken so long that users should be able to continue without it. */
  readonly isSlow: boolean;
  /** Starts the operation, or restarts it. */
  begin(): void;
  /** Discards the result. Call it when the form has changed. */
  reset(): void;
}

const slowMs = 6000;

/**
 * Starts a preflight or preview and follows it live until it ends. `ask` sends the request, calls its argument with each warning in the
 * response, and returns the operation.
 */
export function useProbe(
  ask: (onWarning: (warning: string) => void) => Promise<{ readonly metadata: { readonly name: string } }>,
): Probe {
  const [asked, setAsked] = useState<{
    readonly name?: string;
    readonly error?: unknown;
    readonly warnings?: readonly string[];
  }>();
  const [isSlow, setSlow] = useState(false);
  // The sequence number of the current request. Late responses to earlier requests are ignored.
  const round = useRef(0);
  const operation = useEntity("Operation", asked?.name ?? "");
  const status = asked?.name === undefined ? undefined : operation?.status;
  const state = stateOf(asked, status?.state);
  useEffect(() => {
    if (state !== "busy") return undefined;
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, [state]);
  const reset = (): void => {
    round.current += 1;
    setAsked(undefined);
    setSlow(false);
  };
  return {
    state,
    status,
    error: asked?.error,
    warnings: asked?.warnings ?? [],
    isSlow: isSlow && state === "busy",
    reset,
    begin() {
      reset();
      const own = round.current;
      setAsked({});
      const warnings: string[] = [];
      ask((warning) => warnings.push(warning)).then(
        ({ metadata }) => own === round.current && setAsked({ name: metadata.name, warnings }),
        (error: unknown) => own === round.current && setAsked({ error }),
      );
    },
  };
}

function stateOf(asked: { readonly error?: unknown } | undefined, state = "WAITING"): Probe["state"] {
  if (asked === undefined) return "idle";
  if (asked.error !== undefined || state === "FAILED" || state === "CANCELLED") return "failed";
  return state === "DONE" ? "done" : "busy";
}
