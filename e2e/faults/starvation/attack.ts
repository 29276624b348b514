/** The target of an attack, and the credentials to use. */
export interface Attack {
  readonly kind: string;
  readonly url: string;
  /** Project of the hostile tenant. */
  readonly project: string;
  /** API key of a user with the editor role in the project. */
  readonly key: string;
  /** Token of an agent that belongs to the project. */
  readonly agentToken: string;
  /** A path that the key may read. */
  readonly path: string;
  /** Address where the agent may store a plan, and the credentials for it. */
  readonly plan: { readonly address: string; readonly username: string; readonly password: string };
  readonly seed: number;
}
