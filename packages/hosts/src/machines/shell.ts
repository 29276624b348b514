/** Runs commands on one machine. The package does not know how the machine is reached. */
export interface MachineShell {
  /** User and address, for messages. */
  readonly where: string;
  /** Runs a program without a shell. Rejects if the machine cannot be reached; a failed program is a result. */
  run(argv: readonly string[], options?: { readonly input?: string }): Promise<ShellResult>;
}

export interface ShellResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
