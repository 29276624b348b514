import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useEffect, useRef, useState } from "react";
import { useEntity } from "./live.tsx";

type OperationStatus = NonNullable<EntityByKind["Operation"]["status"]>;

/** Something that is only looked at, by an operation of its own. */
export interface Look {
  /** idle: nobody has asked; done: it is known; failed: it could not be looked at. */
  readonly state: "idle" | "busy" | "done" | "failed";
  /** What the operation says so far, and at its end. */
  readonly status: OperationStatus | undefined;
  /** Why the server would not even begin. */
  readonly error: unknown;
  /** It has taken so long that nobody should have to wait for it. */
  readonly isSlow: boolean;
  /** Asks, or asks again. */
  begin(): void;
  /** Forgets what was found: it is about something else now. */
  reset(): void;
}

const slowMs = 6000;

/** Asks for an operation that changes nothing, and follows it live to its end. */
export function useLook(ask: () => Promise<Stored<AnyEntity>>): Look {
  const [asked, setAsked] = useState<{ readonly name?: string; readonly error?: unknown }>();
  const [isSlow, setSlow] = useState(false);
  // What answers late, after somebody has asked again, is not heard.
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

function stateOf(asked: { readonly error?: unknown } | undefined, state = "WAITING"): Look["state"] {
  if (asked === undefined) return "idle";
  if (asked.error !== undefined || state === "FAILED" || state === "CANCELLED") return "failed";
  return state === "DONE" ? "done" : "busy";
}
