/** What a provider is asked to do, as far as something can go wrong with it. `start` is before the first call of a spawned one. */
export type Operation = "start" | "configure" | "validate" | "plan" | "create" | "read" | "update" | "delete" | "import" | "data";

/** What goes wrong. */
export type SimulatedFaultKind =
  /** An error diagnostic; with `afterEffect` the work was done all the same, and Terraform is told what exists. */
  | { readonly kind: "error"; readonly message: string; readonly afterEffect?: boolean }
  /** The provider dies; a resident one drops the connection. */
  | { readonly kind: "crash" }
  /** No answer until Terraform says stop; a deaf one does not hear that either. */
  | { readonly kind: "hang"; readonly deaf?: boolean }
  /** Bytes that are no message, as the reply or on standard output. */
  | { readonly kind: "rubbish"; readonly where?: "reply" | "stdout" }
  /** The work is done, the reply is lost. */
  | { readonly kind: "lost_reply" }
  /** Sensitive values of the configuration are repeated in a diagnostic or on standard error. */
  | { readonly kind: "echo_secrets"; readonly where?: "error" | "warning" | "stderr" }
  /** The answer comes later. */
  | { readonly kind: "slow"; readonly delayMs: number };

/** Something that goes wrong at a stated call: the `nth` (from 1) that matches after it was planned, and as `times` many from there. */
export type SimulatedFault = SimulatedFaultKind & {
  readonly operation: Operation;
  readonly type?: string;
  readonly tenant?: string;
  readonly nth?: number;
  readonly times?: number;
};

/** The call that something may go wrong with. */
export interface ProviderCall {
  readonly tenant: string;
  readonly operation: Operation;
  readonly type?: string;
}

/** Where a provider asks, before each piece of work, whether it goes wrong. */
export interface SimulatedFaults {
  take(call: ProviderCall): Promise<SimulatedFault | undefined>;
}

/** SimulatedFaults that can be planned while providers run. */
export interface SimulatedFaultControl extends SimulatedFaults {
  add(...faults: readonly SimulatedFault[]): Promise<void>;
  clear(): Promise<void>;
  /** What is planned, and how many calls each has matched. */
  list(): Promise<readonly CountedFault[]>;
}

/** A planned fault and how many calls it has matched. */
export interface CountedFault {
  readonly fault: SimulatedFault;
  readonly seen: number;
}

/** Whether a fault is about such calls at all. */
export function isAbout(fault: SimulatedFault, call: ProviderCall): boolean {
  return (
    fault.operation === call.operation &&
    (fault.type === undefined || fault.type === call.type) &&
    (fault.tenant === undefined || fault.tenant === call.tenant)
  );
}

/** Counts a call and tells the first fault that is due. */
export function countCall(
  planned: readonly CountedFault[],
  call: ProviderCall,
): { planned: CountedFault[]; due: SimulatedFault | undefined } {
  const counted = planned.map((entry) => (isAbout(entry.fault, call) ? { ...entry, seen: entry.seen + 1 } : entry));
  const due = counted.find(({ fault, seen }) => {
    const first = fault.nth ?? 1;
    return isAbout(fault, call) && seen >= first && seen < first + (fault.times ?? 1);
  });
  return { planned: counted, due: due?.fault };
}
