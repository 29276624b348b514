/** The data that an instance reads when it starts for the first time. */
export interface InstanceStart {
  readonly image: string;
  /** OpenSSH public keys. */
  readonly sshKeys: readonly string[];
  /** User that the SSH keys are for. If empty, the image's default user is used. */
  readonly user: string;
  /** The caller's own user data. Empty if there is none. */
  readonly userData: string;
}

/** An instance's user data in the format of its cloud, and the user to log in as. The user is empty if the image's user is unknown. */
export interface InstanceUserData {
  readonly userData: string;
  readonly user: string;
  /** Metadata of the instance, in clouds that pass SSH keys and scripts as metadata. Contains the user data. */
  readonly metadata?: Readonly<Record<string, string>>;
}
