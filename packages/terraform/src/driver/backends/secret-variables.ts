/** Environment variables from which Terraform's state backends read credentials. */
export const backendSecretVariables: readonly string[] = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "GOOGLE_CREDENTIALS",
  "GOOGLE_ENCRYPTION_KEY",
  "ARM_ACCESS_KEY",
  "ARM_SAS_TOKEN",
  "PGPASSWORD",
];
