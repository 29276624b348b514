/** What an operation answers: JSON text, ready for REST and read back into a message by the other doors. */
export interface Answer {
  readonly body: string;
  /** True where something new came into being. */
  readonly created?: boolean;
  /** The entity's resourceVersion, for ETag. */
  readonly version?: string;
  /** Name of the entity, for Location. */
  readonly name?: string;
}
