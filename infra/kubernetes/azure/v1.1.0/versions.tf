terraform {
  required_version = ">= 1.9"
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "= 5.2.0"
    }
  }
}

provider "azurerm" {
  # The account's administrators register resource providers. The platform only needs the rights to use them.
  resource_provider_registrations = "none"
  features {
    key_vault {
      # A deleted vault keeps its name. Purging it lets a cluster with the same name be created again. Vaults with purge protection stay.
      purge_soft_delete_on_destroy       = true
      purge_soft_deleted_keys_on_destroy = true
      recover_soft_deleted_key_vaults    = true
      recover_soft_deleted_keys          = true
    }
  }
}
