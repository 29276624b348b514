# Pods of these service accounts get tokens of the cluster's issuer. The credential makes an identity accept them.
resource "azurerm_federated_identity_credential" "this" {
  for_each = var.workload_identities
  # Credentials have no tags, so their name says to which cluster they belong.
  name                      = "cloudwright-${var.owner.entity}-${substr(sha1(each.key), 0, 12)}"
  user_assigned_identity_id = each.value
  audience                  = ["api://AzureADTokenExchange"]
  issuer                    = azurerm_kubernetes_cluster.this.oidc_issuer_url
  subject                   = "system:serviceaccount:${split("/", each.key)[0]}:${split("/", each.key)[1]}"
}
