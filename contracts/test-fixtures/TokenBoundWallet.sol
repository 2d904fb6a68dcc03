// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice Belongs to whoever holds a token, as the accounts of ERC-6551 do.
contract TokenBoundWallet {
    IERC721 private immutable token;
    uint256 private immutable tokenId;

    constructor(IERC721 token_, uint256 tokenId_) {
        (token, tokenId) = (token_, tokenId_);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return signer == token.ownerOf(tokenId) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// @notice Anybody may deploy the wallet of a token.
contract TokenBoundRegistry {
    function create(IERC721 token, uint256 tokenId) external {
        new TokenBoundWallet{salt: 0}(token, tokenId);
    }

    function addressOf(IERC721 token, uint256 tokenId) external view returns (address) {
        bytes32 codeHash = keccak256(
            abi.encodePacked(type(TokenBoundWallet).creationCode, abi.encode(token, tokenId))
        );
        return
            address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), codeHash)))));
    }
}

/// @notice Sells its tokens for an ether each.
contract TokenShop {
    function buy(IERC721 token, uint256 tokenId, address buyer) external payable {
        require(msg.value >= 1 ether, "too little");
        token.transferFrom(address(this), buyer, tokenId);
    }
}

/// @notice A dishonest signer's factory: it buys a token and deploys its wallet, with money that a simulation doesn't cost.
contract BuyingFactory {
    function fund() external payable {}

    function buyAndCreate(
        TokenShop shop,
        TokenBoundRegistry registry,
        IERC721 token,
        uint256 tokenId,
        address buyer
    ) external {
        shop.buy{value: 1 ether}(token, tokenId, buyer);
        registry.create(token, tokenId);
    }
}
