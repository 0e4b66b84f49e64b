export const id = 645;
export const ids = [645];
export const modules = {

/***/ 2645:
/***/ ((module) => {

module.exports = eval("require")("kerberos");


/***/ })

};
