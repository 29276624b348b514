import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useEffect, useRef, useState } from "react";
import { useEntity } from "../data/live.tsx";

type OperationStatus = NonNullable<EntityByKind["Operation"]["status"]>;

/** A preflight or preview: an operation that changes nothing. */
export interface Probe {
  /** idle: not started; done: the result is known; failed: the operation failed. */
  readonly state: "idle" | "busy" | "done" | "failed";
  /** The status of the operation. */
  readonly status: OperationStatus | undefined;
  /** Why the server refused to start the operation. */
  readonly error: unknown;
  /** True once it takes so long that users should not have to wait for it. */
  readonly isSlow: boolean;
  /** Starts the operation, again if it ran before. */
  begin(): void;
  /** Discards the result because the form has changed. */
  reset(): void;
}

const slowMs = 6000;

/** Starts an operation that changes nothing and follows it live to its end. */
export function useProbe(ask: () => Promise<Stored<AnyEntity>>): Probe {
  const [asked, setAsked] = useState<{ readonly name?: string; readonly error?: unknown }>();
  const [isSlow, setSlow] = useState(false);
  // A late answer to an earlier request is ignored.
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
    isSlow: isSlow && state === "busy",
    reset,
    begin() {
      reset();
      const own = round.current;
      setAsked({});
      ask().then(
        ({ metadata }) => own === round.current && setAsked({ name: metadata.name }),
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
