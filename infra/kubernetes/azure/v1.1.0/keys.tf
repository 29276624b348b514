locals {
  made_key = toset(var.kms_key.id == null ? ["made"] : [])
  # Vault names must be unique across all of Azure and have 3 to 24 characters.
  vault_name = "${trimsuffix(substr(replace(var.cluster_name, "/-+/", "-"), 0, 15), "-")}-${local.short}"
}

resource "azurerm_key_vault" "secrets" {
  for_each                   = local.made_key
  name                       = local.vault_name
  location                   = var.region
  resource_group_name        = local.group_name
  tenant_id                  = data.azurerm_client_config.this.tenant_id
  sku_name                   = "standard"
  soft_delete_retention_days = 7
  purge_protection_enabled   = var.purge_protection
  # Access policies take effect immediately. A role assignment takes minutes to reach the vault, so creating the key would fail.
  rbac_authorization_enabled = false
  access_policy {
    tenant_id       = data.azurerm_client_config.this.tenant_id
    object_id       = data.azurerm_client_config.this.object_id
    key_permissions = ["Get", "List", "Create", "Update", "Delete", "Recover", "Purge", "GetRotationPolicy", "SetRotationPolicy"]
  }
  access_policy {
    tenant_id       = data.azurerm_client_config.this.tenant_id
    object_id       = local.cluster_principal
    key_permissions = ["Get", "Encrypt", "Decrypt"]
  }
  tags = merge(local.tags, { "cloudwright:part" = "secrets/${each.key}" })
}

resource "azurerm_key_vault_key" "secrets" {
  for_each     = local.made_key
  name         = "kubernetes-secrets"
  key_vault_id = azurerm_key_vault.secrets[each.key].id
  key_type     = "RSA"
  key_size     = 2048
  key_opts     = ["encrypt", "decrypt", "wrapKey", "unwrapKey", "sign", "verify"]
  # Key Vault keys can have at most 15 tags, so the user's tags are left out.
  tags = merge(local.owned, { "cloudwright:part" = "secrets/${each.key}" })
}
