export const id = 332;
export const ids = [332];
export const modules = {

/***/ 332:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readTrusted: () => (/* binding */ readTrusted)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(598);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(760);
/* harmony import */ var node_tls__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(692);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(600);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(352);






/** Whom to trust, where the user named a file; undefined: whom the system trusts. */
async function readTrusted({ caFile, workingDirectory = ".", }) {
    return caFile === undefined ? undefined : readCertificates((0,node_path__WEBPACK_IMPORTED_MODULE_2__.resolve)(workingDirectory, caFile));
}
/** Besides those of the system: a file for one server must not make the others untrusted. */
async function readCertificates(path) {
    let text;
    try {
        text = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.readFile)(path, "utf8");
    }
    catch (error) {
        const why = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .systemCode */ .xU)(error) === "ENOENT" ? "it is not there" : (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .messageOf */ .bD)(error);
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .LockError */ .Ku("BAD_OPTION", `The file of certificates ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_5__/* .quote */ .hD)(path, 200)} cannot be read: ${why}.`, { cause: error });
    }
    try {
        // Node would pass over what it cannot read, and the server would seem untrusted.
        new node_crypto__WEBPACK_IMPORTED_MODULE_0__.X509Certificate(text);
    }
    catch (error) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .LockError */ .Ku("BAD_OPTION", `The file ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_5__/* .quote */ .hD)(path, 200)} holds no certificate: name a PEM file of the authority.`, { cause: error });
    }
    return [...(0,node_tls__WEBPACK_IMPORTED_MODULE_3__.getCACertificates)("default"), text];
}


/***/ })

};
