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
  # The account's administrators register resource providers, so the platform needs no permission to do so.
  resource_provider_registrations = "none"
  features {
    key_vault {
      # A soft-deleted vault still reserves its name. Purging it allows a cluster with the same name to be created again. Vaults with purge
      # protection are not purged.
      purge_soft_delete_on_destroy       = true
      purge_soft_deleted_keys_on_destroy = true
      recover_soft_deleted_key_vaults    = true
      recover_soft_deleted_keys          = true
    }
  }
}
