# Pods with these service accounts get tokens from the cluster's issuer. The credential makes the managed identity accept those tokens.
resource "azurerm_federated_identity_credential" "this" {
  for_each = var.workload_identities
  # Credentials have no tags, so the name of each credential identifies its cluster.
  name                      = "cloudwright-${var.owner.entity}-${substr(sha1(each.key), 0, 12)}"
  user_assigned_identity_id = each.value
  audience                  = ["api://AzureADTokenExchange"]
  issuer                    = azurerm_kubernetes_cluster.this.oidc_issuer_url
  subject                   = "system:serviceaccount:${split("/", each.key)[0]}:${split("/", each.key)[1]}"
}
