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
  # Registering resource providers requires rights on the whole subscription. Preflight checks name the missing registrations.
  resource_provider_registrations = "none"
  features {}
}
